class Lock:
    def __enter__(self):
        self.take()
        return self

    def __exit__(self, *args):
        self.give()

    def take(self):
        pass

    def give(self):
        pass

    def name(self):
        pass


def work():
    with Lock() as lock:
        lock.name()


work()
