/** Tried in this order, since most browsers also name the browsers with which they are compatible. */
const BROWSERS: readonly (readonly [name: string, mark: RegExp])[] = [
  ['Edge', /\bEdg(e|A|iOS)?\//],
  ['Opera', /\b(OPR|OPT)\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /\b(Chrome|Chromium|HeadlessChrome|CriOS)\//],
  ['Safari', /\bSafari\//],
];
const SYSTEMS: readonly (readonly [name: string, mark: RegExp])[] = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['macOS', /\bMacintosh\b/],
  ['Linux', /\bLinux\b/],
];

/**
 * Browser and system by name, such as `Firefox · Windows`, for a list of sessions. No text of the header is copied.
 * @param userAgent the header `User-Agent`
 * @returns null when neither is known
 */
export function browserOf(userAgent: string | undefined): string | null {
  const nameIn = (marks: typeof BROWSERS) => marks.find(([, mark]) => mark.test(userAgent ?? ''))?.[0];
  return [nameIn(BROWSERS), nameIn(SYSTEMS)].filter((name) => name !== undefined).join(' · ') || null;
}
