def save():
    pass


def load(save):
    save()


def other():
    pass


def run():
    save = other
    save()


load(other)
run()
