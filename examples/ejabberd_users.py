"""Print the users of a room for `ejabberdctl import_piefxis`, from the files of its clocks and hub.

Only Python is needed, nothing of gammonclock:

    python3 ejabberd_users.py cards >users.xml
"""

import pathlib
import sys
import tomllib

cards = [tomllib.loads(path.read_text()) for path in pathlib.Path(sys.argv[1]).glob("**/*.toml")]
users = [(card.get("clock", "hub"), card["broker"]["password"]) for card in cards]
users += [("hub_1", card["stand_by"]) for card in cards if "stand_by" in card]  # hub.toml

host = cards[0]["broker"]["host"]
print(f"<server-data xmlns='urn:xmpp:pie:0'><host jid='{host}'>")
for name, password in users:
    print(f"<user name='{name}' password='{password}'/>")
print("</host></server-data>")
