import './first-requests.js';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queries } from './api/queries.js';
import { App } from './app.js';
import { language, setLanguage } from './i18n/language.js';
import { preloadPage } from './routes.js';
import './design/tokens.css';
import './design/base.css';
import './design/parts.css';
import './design/controls.css';
import './design/table.css';
import './design/header.css';
import './design/shell.css';
import './design/sign-in.css';

document.documentElement.lang = language();

// another tab of this browser has changed the language
addEventListener('storage', ({ key, newValue }) => {
  if (key === 'console.language' && (newValue === 'en' || newValue === 'pt-BR')) setLanguage(newValue);
});

// shows notifications; without https, and in old browsers, there is none
navigator.serviceWorker?.register('/console/worker.js', { scope: '/console/' }).catch(() => {});

// until then index.html shows what the frame would show without its page. No top-level await: the page imports this file
void preloadPage().then(() =>
  createRoot(document.getElementById('root') as HTMLElement).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <App />
      </QueryClientProvider>
    </StrictMode>,
  ),
);
