"""Send one message, receive it, print it."""

import example_client

with example_client.connect("localhost") as client:
    client.send("greetings", "hello")
    print("received", client.receive("greetings"))
