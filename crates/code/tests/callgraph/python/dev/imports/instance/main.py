from app import app


def main():
    app.start()


main()
