"""The commands of `gammonclock`: each is a module that is imported when the command is called.

Exit codes (contract): 0 done, 2 wrong usage or configuration, 3 hardware missing, 4 log damaged;
141 if the reader of the output, such as `head`, went before its end. Errors of the user, of files
and of hardware end in one message that says what to do, never in a traceback.
"""
