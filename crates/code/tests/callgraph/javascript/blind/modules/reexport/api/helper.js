const helper = {
  trim() {},
};

export default helper;
