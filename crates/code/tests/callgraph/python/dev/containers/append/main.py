def a():
    pass


def b():
    pass


def build():
    steps = []
    steps.append(a)
    steps.append(b)
    return steps


for step in build():
    step()
