export function open() {}
export const close = () => open();
