class Shape:
    def __init__(self, name):
        self.name = name
        self.reset()

    def reset(self):
        pass


class Circle(Shape):
    def __init__(self, r):
        super(Circle, self).__init__("circle")
        self.r = r

    def area(self):
        return compute(self.r)


def compute(r):
    return r


shapes = [Circle(1), Circle(2)]
for shape in shapes:
    shape.area()
