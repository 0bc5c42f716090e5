function hit() {}

export { hit as hammer };
