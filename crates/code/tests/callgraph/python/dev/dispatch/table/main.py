def start():
    prepare()


def stop():
    pass


def prepare():
    pass


COMMANDS = {"start": start, "stop": stop}


def run(name):
    handler = COMMANDS.get(name)
    if handler:
        handler()


run("start")
