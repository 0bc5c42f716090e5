def fast():
    pass


def slow():
    pass


def unused():
    pass


def choose(flag):
    run = fast if flag else slow
    run()
    handler = None or slow
    handler()
    if (picked := fast):
        picked()


choose(True)
