def make(callback):
    count = 0

    def step():
        nonlocal count
        count += 1
        callback(count)

    return step


def report(n):
    pass


tick = make(report)
tick()
