import { describe, expect, it } from 'vitest';
import { automaticEdge, embedText } from '../../../lab/derive/measure-edges.ts';
import { bundledStaticModel, languageModel } from '../../../test/support/language-model.ts';
import { StaticEmbedder } from '../../embedding/static/static-model.ts';
import { findRelationship } from '../relationships/find-relationship.ts';
import { automaticRelationshipMin } from '../relationships/finding.ts';

const model = languageModel();
const embedder = new StaticEmbedder('static', bundledStaticModel());
const seen = (text: string) => embedText(model, (body) => embedder.embedNow(body), text);
const edge = (earlier: string, later: string) => automaticEdge(model, seen(earlier), seen(later));

describe('edges of a later text to an earlier one', () => {
  it('an edge of a later text supersedes what was true of the same subject, with both values as evidence', () => {
    expect(edge('Ana: I live in Porto.', 'Ana: I live in Lisbon now.')).toMatchObject({
      type: 'SUPERSEDES',
      reason: expect.stringContaining('Ana live in Lisbon'),
      evidence: {
        earlier: { text: 'Porto', start: 15, end: 20 },
        later: { text: 'Lisbon', start: 15, end: 21 },
      },
    });
    expect(
      edge('The API rate limit is 100 requests per minute.', 'The API rate limit is 250 requests per minute.')
        ?.type,
    ).toBe('SUPERSEDES');
    expect(edge('We use Jest for unit tests.', 'We switched from Jest to Vitest.')?.reason).toContain(
      'Vitest',
    );
  });

  it('an edge of a later text contradicts what is said the other way round', () => {
    expect(edge('The storefront uses Redis.', 'The storefront does not use Redis.')?.type).toBe(
      'CONTRADICTS',
    );
  });

  it('no edge joins texts of which each says the same of somebody else', () => {
    expect(edge('Ola owns a boat.', 'Yuki owns a boat.')).toBeUndefined();
    expect(edge('Marek owns a red car.', 'Ola owns a red car.')).toBeUndefined();
    expect(edge('Ola 0 owns a boat.', 'Ola 1 owns a boat.')).toBeUndefined();
  });

  it('an edge of a later text resolves a problem that is fixed, and none that somebody only tries to fix', () => {
    const bug = 'Bug: the invoice export fails with a timeout for large customers.';
    expect(edge(bug, 'Fixed the timeout of the invoice export.')?.type).toBe('RESOLVES');
    expect(edge(bug, 'Still trying to get the timeout of the invoice export fixed.')).toBeUndefined();
  });

  it('an edge of a later text resolves a task by its own verb, and none of several tasks, a rule or what was not done', () => {
    const todo = 'TODO: rotate the signing key of the webhook service before Christmas.';
    expect(edge(todo, 'The signing key of the webhook service was rotated yesterday.')?.type).toBe(
      'RESOLVES',
    );
    expect(edge(todo, 'The signing key of the billing service was rotated yesterday.')).toBeUndefined();
    expect(edge(todo, 'The signing key of the webhook service is rotated every 90 days.')).toBeUndefined();
    expect(edge(todo, 'The signing key of the webhook service was not rotated yet.')).toBeUndefined();
    const steps = 'Next steps: write the runbook, book the room.';
    expect(edge(steps, 'The runbook was written on Monday.')).toBeUndefined();
  });

  it('an edge of a later text finds what was upgraded where its name looks like a verb', () => {
    const upgrade = 'Upgraded staging from Kubernetes 1.29 to 1.31, control plane first.';
    expect(edge('The staging cluster runs Kubernetes 1.29 on four nodes.', upgrade)).toMatchObject({
      type: 'SUPERSEDES',
      keepsState: true,
      evidence: { earlier: { text: 'Kubernetes 1.29' }, later: { text: '1.31' } },
    });
    expect(edge('Production runs Kubernetes 1.29 on nine nodes.', upgrade)).toBeUndefined();
  });

  it('an edge of a later text supersedes the commit that it reverts, and no other', () => {
    const commit = 'feat(cli): add --dry-run to the prune command';
    const edited = `${commit}\n\nIt prints what it would remove.`;
    expect(edge(commit, `revert: ${commit}\n\nIt deleted files.`)?.type).toBe('SUPERSEDES');
    expect(edge(edited, `Revert "${commit}"\n\nThis reverts commit 1a2b3c.`)).toMatchObject({
      type: 'SUPERSEDES',
      keepsState: true,
      evidence: { earlier: { text: commit, start: 0 } },
    });
    expect(edge('feat(cli): add --dry-run to the copy command', `revert: ${commit}`)?.type).not.toBe(
      'SUPERSEDES',
    );
  });

  it('an edge of a later text refers to the same ticket, but not to the same standard', () => {
    expect(
      edge('BILL-123 is about invoices in two currencies.', 'Merged the branch for BILL-123.')?.type,
    ).toBe('REFERENCES');
    expect(edge('The export is in UTF-8 by default.', 'Names of towns need UTF-8.')).toBeUndefined();
  });

  it('an edge of a later text duplicates the same statement in nearly the same words, but not with another number', () => {
    const text = 'The nightly backup of the ledger database starts at two.';
    expect(edge(text, 'Nightly backup of the ledger database starts at two')?.type).toBe('DUPLICATES');
    expect(
      edge(
        'Ticket 12 was closed by the support team yesterday.',
        'Ticket 13 was closed by the support team yesterday.',
      )?.type,
    ).not.toBe('DUPLICATES');
  });

  it.each([
    ['Ana lives in Porto.', 'Does Ana live in Lisbon?'],
    ['Ana lives in Porto.', 'Ana might live in Lisbon.'],
    ['Ana: Dance is my passion.', 'Ana: Dance is my stress relief.'],
    ['The price is 20 euro without VAT.', 'The price is 24 euro with VAT.'],
    ['Good morning everyone!', 'Good morning!'],
    ['Ana speaks Polish.', 'Ana speaks German.'],
    [
      'Ana: The film about the lighthouse keeper really stuck with me.',
      'Ana: I decided to write a script about a lighthouse keeper.',
    ],
  ])('no edge is made of "%s" and "%s"', (earlier, later) => {
    expect(edge(earlier, later)).toBeUndefined();
  });

  it.each([
    ['SUPERSEDES', 'The price was 20 euro.', 'The price is 24 euro.'],
    ['SUPERSEDES', "Ana: I'm the captain of the team.", "Ana: I'm the owner of a dog."],
    [
      'RESOLVES',
      'Bug: the export fails for large customers.',
      'We are trying to get the export for large customers fixed.',
    ],
    [
      'DUPLICATES',
      'The nightly backup of the ledger starts at two.',
      'The backup of the ledger starts every night at two.',
    ],
  ])(
    'an edge is a candidate for a person to confirm where the rules are not sure: %s',
    (type, earlier, later) => {
      const found = findRelationship(model, seen(earlier).view, seen(later).view, 0.8);
      expect(found?.type).toBe(type);
      expect(found?.confidence).toBeLessThan(automaticRelationshipMin);
    },
  );
});
