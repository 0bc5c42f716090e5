from .client import connect, Client
