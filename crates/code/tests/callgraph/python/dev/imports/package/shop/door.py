def open_shop():
    pass
