def numbers():
    yield from inner()


def inner():
    yield first
    yield second


def first():
    pass


def second():
    pass


for number in numbers():
    number()
