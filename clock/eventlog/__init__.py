"""The event log as text: encode and decode its lines, replay them, recover a match from them.

A log is UTF-8 text with one JSON object a line, one line per event. Every line has the same fields
around those of its event and ends in `hash`, which depends on every byte up to there, so that a
line that was damaged, moved, lost or torn is found (`codec`). The panels show the `fingerprint`,
the hash in a form that people can write down. An event leads back to the input that caused it
(`event_inputs`); replaying the inputs must give the same values (`replay`, `verification`). At the
start `recovery` picks up the last match, and `salvage` what a damaged log still proves. This
package imports `match` only.
"""
