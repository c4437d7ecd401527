import { readdirSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitepress';

const src = process.env.MEMORYD_SITE_SOURCE;

/** Pages of a folder by their headings. */
function pagesOf(folder) {
  return readdirSync(`${src}/${folder}`)
    .filter((name) => name.endsWith('.md'))
    .map((name) => ({
      text: readFileSync(`${src}/${folder}/${name}`, 'utf8').match(/^# (.+)$/m)?.[1] ?? name,
      link: `/${folder}/${name.replace(/\.md$/, '')}`,
    }));
}

export default defineConfig({
  title: 'memoryd',
  description: 'Self-hosted memory service for AI agents',
  srcDir: src,
  outDir: process.env.MEMORYD_SITE_OUT,
  // A page is read from a folder too, without a server.
  cleanUrls: false,
  // Pages link to files of the source, which is not part of the site. Links between pages are checked by test/docs.
  ignoreDeadLinks: true,
  themeConfig: {
    search: { provider: 'local' },
    sidebar: [
      { text: 'memoryd', link: '/' },
      { text: 'Guides', items: pagesOf('docs') },
      {
        text: 'Project',
        items: [
          { text: 'Architecture', link: '/ARCHITECTURE' },
          { text: 'Contributing', link: '/CONTRIBUTING' },
          { text: 'Changelog', link: '/CHANGELOG' },
        ],
      },
      { text: 'Decisions', collapsed: true, items: pagesOf('docs/adr') },
    ],
  },
});
