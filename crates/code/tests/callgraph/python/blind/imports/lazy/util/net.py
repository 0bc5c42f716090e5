def fetch():
    pass
