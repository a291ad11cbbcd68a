/** The colours of the console: light, dark, or as the system has them. */
import { effect, signal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark';

/** The choice belongs to the browser. Without an entry, the system decides. */
const STORED = 'knowledge-retrieval-theme';

function storedTheme(): Theme {
  const stored = localStorage.getItem(STORED);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

const chosen = signal(storedTheme());
const systemIsDark = matchMedia('(prefers-color-scheme: dark)');
const isSystemDark = signal(systemIsDark.matches);

systemIsDark.addEventListener('change', ({ matches }) => {
  isSystemDark.value = matches;
});
// Another tab has chosen.
addEventListener('storage', ({ key }) => {
  if (key === STORED || key === null) chosen.value = storedTheme();
});
effect(() => {
  const isDark = chosen.value === 'dark' || (chosen.value === 'system' && isSystemDark.value);
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
});

export const currentTheme = (): Theme => chosen.value;

export function chooseTheme(theme: Theme): void {
  if (theme === 'system') localStorage.removeItem(STORED);
  else localStorage.setItem(STORED, theme);
  chosen.value = theme;
}
