class Path:
    def join(self, other):
        pass

    def get(self, key):
        pass

    def split(self):
        pass


def run(words, table):
    text = ", ".join(words)
    text.split(",")
    {}.get("a")
    table = dict()
    table.get("x")
    return text


run([], {})
