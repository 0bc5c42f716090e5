class Adder:
    def __init__(self, n):
        self.n = n

    def __call__(self, x):
        return add(self.n, x)


def add(a, b):
    return a + b


plus = Adder(2)
plus(3)
