class Base:
    def run(self):
        self.before()
        self.step()

    def before(self):
        pass

    def step(self):
        raise NotImplementedError


class Child(Base):
    def step(self):
        helper()


def helper():
    pass


Child().run()
