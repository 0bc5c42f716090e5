export class Client {
  constructor(url) {}
  send() {
    this.close();
  }
  close() {}
}
