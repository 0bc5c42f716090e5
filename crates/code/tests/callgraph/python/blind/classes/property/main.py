class Config:
    def __init__(self):
        self._path = None

    @property
    def path(self):
        return self._find()

    def _find(self):
        return "x"


def show(config):
    print(config.path)


show(Config())
