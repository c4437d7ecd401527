/** The text of a version in a changelog as Keep a Changelog has it. @throws Error if it has none */
export function sectionOf(changelog, version) {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((text) => text.startsWith(`[${version}]`));
  const text = section?.slice(section.indexOf('\n')).trim();
  if (!text) throw new Error(`CHANGELOG.md says nothing of ${version}`);
  return text;
}
