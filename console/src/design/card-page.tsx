import { type ReactNode, useEffect } from 'react';
import { useSharedTexts } from '../i18n/shared.js';
import { LanguageSwitch } from './language-switch.js';

/** A page without the frame of the console, for who is not signed in: a card. Its title is the h1 and the browser's title. */
export function CardPage({
  title,
  mark,
  children,
}: {
  readonly title: string;
  /** above the name of the product */
  readonly mark?: ReactNode;
  readonly children: ReactNode;
}) {
  const { product } = useSharedTexts();
  useEffect(() => {
    document.title = `${title} – ${product}`;
  });
  return (
    <main className="sign-in">
      <div className="sign-in-card">
        {mark}
        <p className="brand-name">{product}</p>
        <h1>{title}</h1>
        {children}
        <LanguageSwitch />
      </div>
    </main>
  );
}
