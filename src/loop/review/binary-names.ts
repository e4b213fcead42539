const binary =
  /\.(?:png|jpe?g|gif|webp|avif|ico|icns|bmp|tiff?|psd|pdf|zip|gz|tgz|bz2|xz|zst|7z|rar|jar|war|class|py[co]|so|dylib|dll|exe|o|a|lib|wasm|woff2?|ttf|otf|eot|mp[34]|m4[av]|mov|avi|webm|ogg|wav|flac|db|sqlite3?|parquet|npy|npz|lockb)$/i

/** Whether a file holds no text that anyone could review, by its name. */
export const isBinaryName = (path: string): boolean => binary.test(path)
