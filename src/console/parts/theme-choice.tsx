/** Chooses the colours of the console. */
import { chooseTheme, currentTheme, type Theme } from '../theme.ts';
import { Dropdown } from './dropdown.tsx';
import { ThemeIcon } from './icons.tsx';

const NAMES: Record<Theme, string> = { system: 'As the system', light: 'Light', dark: 'Dark' };

export const ThemeChoice = () => (
  <Dropdown label={<ThemeIcon />} name="Colours">
    <fieldset>
      <legend class="visually-hidden">Colours</legend>
      {Object.entries(NAMES).map(([theme, name]) => (
        <label key={theme} class="choice">
          <input
            type="radio"
            name="theme"
            checked={theme === currentTheme()}
            onChange={() => chooseTheme(theme as Theme)} // one of the names
          />
          {name}
        </label>
      ))}
    </fieldset>
  </Dropdown>
);
