class Loud:
    def speak(self):
        self.shout()
        super().speak()

    def shout(self):
        pass


class Animal:
    def __init__(self):
        self.setup()

    def setup(self):
        pass

    def speak(self):
        pass


class Dog(Loud, Animal):
    def setup(self):
        pass


Dog().speak()
