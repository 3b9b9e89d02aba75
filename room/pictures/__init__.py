"""Pictures for pages and paper: QR codes, and the chart of a match."""
