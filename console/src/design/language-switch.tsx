import { useId } from 'react';
import { LANGUAGE_NAMES, LANGUAGES, type Language, setLanguage, useLanguage } from '../i18n/language.js';
import { useSharedTexts } from '../i18n/shared.js';

export function LanguageSwitch() {
  const { nav } = useSharedTexts();
  const current = useLanguage();
  const id = useId();
  return (
    <div className="language">
      <label htmlFor={id} className="field-label">
        {nav.language}
      </label>
      <select
        id={id}
        className="input"
        value={current}
        onChange={(event) => setLanguage(event.target.value as Language)}
      >
        {LANGUAGES.map((language) => (
          <option key={language} value={language} lang={language}>
            {LANGUAGE_NAMES[language]}
          </option>
        ))}
      </select>
    </div>
  );
}
