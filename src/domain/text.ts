/** 1 to 256 printable ASCII characters without spaces: what may become an HTTP header as it is (DECISIONS 6). */
export function isPrintable(text: string): boolean {
  return /^[\x21-\x7e]{1,256}$/.test(text);
}

/** Three base64url parts joined by dots. Such a Bearer token is verified as a JWT and never compared with the static one. */
export function isJwtShaped(token: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]*$/.test(token);
}
