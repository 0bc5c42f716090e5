class Client:
    def send(self, text):
        return encode(text)


def connect():
    return Client()


def encode(text):
    return text
