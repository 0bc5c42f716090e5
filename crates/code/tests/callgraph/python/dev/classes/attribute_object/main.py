class Engine:
    def start(self):
        self.check()

    def check(self):
        pass


class Car:
    def __init__(self):
        self.engine = Engine()

    def drive(self):
        self.engine.start()


car = Car()
car.drive()
car.engine.check()
