"""Print users and rights of a room for RabbitMQ, from the files of its clocks and hub.

Only Python is needed, nothing of gammonclock:

    python3 rabbitmq_definitions.py ROOM cards >definitions.json
"""

import json
import pathlib
import re
import sys
import tomllib

name, folder = sys.argv[1:]
cards = [tomllib.loads(path.read_text()) for path in pathlib.Path(folder).glob("**/*.toml")]
users = {card.get("clock", "hub"): card["broker"]["password"] for card in cards}
for card in cards:
    if "stand_by" in card:  # hub.toml
        users["hub_1"] = card["stand_by"]
room = rf"^gammonclock\.1\.{re.escape(name)}\."  # what is "/" in MQTT is "." here
topics, queues = [], []
for user in users:
    own = re.escape(user)
    if user == "hub":
        write, read = r"(hub|[^.]+\.(ack|offer))$", ""
    else:
        write = own + r"\.(link|heartbeat|log|logs|board|offered)$"
        read = rf"(hub|{own}\.(ack|offer))$"
    where = {"user": user, "vhost": "/"}
    topics.append(where | {"exchange": "amq.topic", "write": room + write, "read": room + read})
    queue = f"mqtt-subscription-{user}qos[01]"
    both = rf"^({queue}|amq\.topic)$"
    queues.append(where | {"configure": f"^{queue}$", "write": both, "read": both})
logins = [{"name": user, "password": users[user], "tags": []} for user in users]
found = {"vhosts": [{"name": "/"}], "users": logins, "permissions": queues}
print(json.dumps(found | {"topic_permissions": topics}, indent=1))
