import type { ReactNode } from 'react';

/** Strokes on a grid of 24, in the colour of the text. Each stands beside a word, and is hidden from screen readers. */
const SHAPES = {
  check: <path d="M5 12.5l4.5 4.5L19 7.5" />,
  copy: <path d="M9 9h11v11H9zM5 15H4V4h11v1" />,
  link: (
    <path d="M10 14a4 4 0 0 0 5.7 0l3.1-3.1a4 4 0 0 0-5.7-5.7l-1.6 1.6M14 10a4 4 0 0 0-5.7 0l-3.1 3.1a4 4 0 0 0 5.7 5.7l1.6-1.6" />
  ),
  clock: (
    <>
      <circle cx="12" cy="12" r="8.5" />
      <path d="M12 7v5.2l3.4 2" />
    </>
  ),
  arrow: <path d="M4 12h15M13 6l6 6-6 6" />,
  repeat: <path d="M4 11a8 8 0 0 1 14-4.5L20 8M20 4v4h-4M20 13a8 8 0 0 1-14 4.5L4 16M4 20v-4h4" />,
  stop: (
    <>
      <path d="M8.2 3.5h7.6l4.7 4.7v7.6l-4.7 4.7H8.2l-4.7-4.7V8.2z" />
      <path d="M12 8v4.8M12 16v.1" />
    </>
  ),
  down: <path d="M6 9.5l6 6 6-6" />,
  cross: <path d="M6 6l12 12M18 6L6 18" />,
  warning: (
    <>
      <path d="M12 4l9 16H3z" />
      <path d="M12 10v4.5M12 17.2v.1" />
    </>
  ),
  printer: (
    <>
      <path d="M7 8.5v-5h10v5M7 17H4.5A1.5 1.5 0 0 1 3 15.5V10a1.5 1.5 0 0 1 1.5-1.5h15A1.5 1.5 0 0 1 21 10v5.5a1.5 1.5 0 0 1-1.5 1.5H17" />
      <path d="M7 13.5h10v7H7z" />
    </>
  ),
  flask: <path d="M10 3v6l-5.5 9.5a1.7 1.7 0 0 0 1.5 2.5h12a1.7 1.7 0 0 0 1.5-2.5L14 9V3M8.5 3h7M7.5 15h9" />,
  lamp: (
    <>
      <rect x="8" y="2.5" width="8" height="19" rx="4" />
      <circle cx="12" cy="7" r="1.4" />
      <circle cx="12" cy="12" r="1.4" />
      <circle cx="12" cy="17" r="1.4" />
    </>
  ),
  coins: (
    <>
      <rect x="3" y="6" width="18" height="12" rx="2" />
      <circle cx="12" cy="12" r="2.6" />
      <path d="M6.5 12h.1M17.4 12h.1" />
    </>
  ),
  sliders: <path d="M4 7h9M17 7h3M4 17h3M11 17h9M15 4.5v5M9 14.5v5" />,
  list: <path d="M8 6h12M8 12h12M8 18h12M4 6h.1M4 12h.1M4 18h.1" />,
  book: (
    <path d="M5 4.5A1.5 1.5 0 0 1 6.5 3H19v15H6.5A1.5 1.5 0 0 0 5 19.5zm0 15A1.5 1.5 0 0 0 6.5 21H19v-3M9 7.5h6M9 11h6" />
  ),
  gauge: (
    <>
      <path d="M4 18a9 9 0 1 1 16 0" />
      <path d="M12 14l4-5" />
    </>
  ),
  person: (
    <>
      <circle cx="12" cy="8" r="4" />
      <path d="M4.5 20.5a7.5 7.5 0 0 1 15 0" />
    </>
  ),
  bell: <path d="M6 16.5V11a6 6 0 0 1 12 0v5.5l1.5 2h-15zM10 21h4" />,
  search: (
    <>
      <circle cx="10.5" cy="10.5" r="6" />
      <path d="M15 15l5 5" />
    </>
  ),
  back: <path d="M20 12H5M11 6l-6 6 6 6" />,
  offline: (
    <path d="M3 3l18 18M5 12.5a10 10 0 0 1 4.5-2.6M19 12.5a10 10 0 0 0-3-2M8.5 16a5 5 0 0 1 7 0M12 19.5h.1M2 9a15 15 0 0 1 4.4-2.8M22 9a15 15 0 0 0-11-3.9" />
  ),
} satisfies Record<string, ReactNode>;

export type IconName = keyof typeof SHAPES;

export function Icon({ name, className = '' }: { readonly name: IconName; readonly className?: string }) {
  return (
    <svg className={`icon ${className}`} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      {SHAPES[name]}
    </svg>
  );
}
