class Point:
    def __init__(self, x):
        self.x = x

    @classmethod
    def origin(cls):
        return cls(0)

    @staticmethod
    def parse(text):
        return Point(int(text))

    def shift(self):
        pass


Point.origin().shift()
p = Point.parse("1")
p.shift()
