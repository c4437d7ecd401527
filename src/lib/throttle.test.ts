import { describe, expect, it } from 'vitest';
import { ActiveRequests, Pace } from './throttle.ts';

const { signal } = new AbortController();

function newRequests(count: number): ActiveRequests {
  const requests = new ActiveRequests();
  for (let i = 0; i < count; i++) requests.begin();
  return requests;
}

describe('the pace of background work', () => {
  it('a turn of background work comes once requests are few', async () => {
    const requests = newRequests(8);
    let isTurn = false;
    const turn = new Pace({ requests }).turn(signal).then(() => {
      isTurn = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    const wasTurn = isTurn;
    requests.end();
    await turn;
    expect(wasTurn).toBe(false);
    expect(requests.areMany).toBe(false);
  });

  it('a turn of background work comes although requests stay many', async () => {
    const requests = newRequests(8);
    await new Pace({ requests }).turn(signal);
    expect(requests.areMany).toBe(true);
  });

  it('a turn of background work comes at once while requests are few, and at the end of the process', async () => {
    await new Pace({ requests: newRequests(7) }).turn(signal);
    const requests = newRequests(8);
    await new Pace({ requests }).turn(AbortSignal.abort());
    expect(requests.areMany).toBe(true);
  });

  it('requests that one commit answered all at once were many a moment ago', () => {
    const requests = newRequests(8);
    for (let i = 0; i < 8; i++) requests.end();
    expect(requests.areMany).toBe(true);
    expect(newRequests(7).areMany).toBe(false);
  });
});
