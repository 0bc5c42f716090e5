def left():
    pass


def right():
    pass


def both():
    return left, right


first, second = both()
second()
