class Query:
    def __init__(self, table):
        self.table = table

    def where(self, text):
        self._add(text)
        return self

    def limit(self, count):
        return self

    def _add(self, text):
        pass

    def run(self):
        return []


class Other:
    def run(self):
        pass


def users():
    return Query("users").where("a").limit(3)


users().run()
