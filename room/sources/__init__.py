"""Where the lines of logs come from: directories, files, serial lines and other hubs."""
