class Failure(Exception):
    def __init__(self, text):
        self.text = text

    def explain(self):
        return self.text


def risky():
    raise Failure("x")


try:
    risky()
except Failure as error:
    error.explain()
