import Cart, { tax } from "./cart.js";
import { shop } from "./shop.js";

const cart = new Cart(tax);
cart.total();
shop.open(() => cart.total());
