class Store:
    def get(self, key):
        self.find(key)

    def find(self, key):
        pass
