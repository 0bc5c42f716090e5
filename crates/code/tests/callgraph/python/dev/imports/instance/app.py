class App:
    def start(self):
        self.load()

    def load(self):
        pass


app = App()
