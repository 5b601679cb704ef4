// What JupyterLab's builder of extensions leaves open: the same sources give the same bytes.
module.exports = {
  context: __dirname,
  resolve: { symlinks: false },
  output: { filename: '[name].js?v=[contenthash]' },
  optimization: { moduleIds: 'named', chunkIds: 'named' },
};
