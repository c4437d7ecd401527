import { render } from 'preact';
import { beginSession } from './api/session.ts';
import { App } from './frame/app.tsx';
import './style.css';

await beginSession();
const place = document.getElementById('app');
if (place) render(<App />, place);
