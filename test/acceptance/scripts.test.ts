import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, patientClient } from '../support/http-client.ts';
import { engines } from '../support/server.ts';
import { useServer } from '../support/use-server.ts';

/** One text for each script, with words of it that have to find it. */
const texts: Readonly<Record<string, { content: string; queries: readonly string[] }>> = {
  Latin: {
    content: 'Les élèves dégustèrent une crème brûlée à Besançon.',
    queries: ['crème', 'creme', 'BRÛLÉE', 'Besancon'],
  },
  Cyrillic: {
    content: 'Вечером бабушка варила вишнёвое варенье.',
    queries: ['варенье', 'ВЕЧЕРОМ', 'бабушка'],
  },
  Greek: { content: 'Ο καπετάνιος αγόρασε φρέσκο ψωμί και ελιές.', queries: ['ψωμί', 'ΕΛΙΈΣ', 'καπετανιος'] },
  Arabic: { content: 'سافرت المهندسة إلى القاهرة بالقطار السريع.', queries: ['القاهرة', 'بالقطار'] },
  Hebrew: { content: 'הספרנית סידרה את הספרים על המדף הגבוה.', queries: ['הספרים', 'המדף'] },
  Hindi: { content: 'मेरी बहन हर सुबह बगीचे में चाय पीती है।', queries: ['चाय', 'बगीचे'] },
  Thai: { content: 'คุณยายปลูกมะม่วงไว้หลังบ้าน', queries: ['มะม่วง', 'หลังบ้าน'] },
  Chinese: { content: '我妹妹昨天在北京买了一辆自行车。', queries: ['自行车', '北京', '车', '买', '妹'] },
  Japanese: {
    content: '祖母は京都で抹茶とラーメンを楽しんだ。',
    queries: ['京都', 'ラーメン', '茶', '抹茶', 'ラ'],
  },
  Korean: {
    content: '할머니께서 부산에서 김치를 담그셨다.',
    queries: ['김치를', '김치', '부산', '김', '할머니'],
  },
};

describe.each(engines)('ten scripts on %s', (engine) => {
  const server = useServer(engine);
  let http: Client;
  const ids = new Map<string, string>();

  beforeAll(async () => {
    http = patientClient(server.url, server.key);
    for (const [script, { content }] of Object.entries(texts)) {
      const reply = await http.post<{ data: { id: string } }>('/api/memories', {
        content,
        conversationId: 'NEW',
      });
      expect(reply.status, reply.text).toBe(201);
      ids.set(script, reply.body.data.id);
    }
  });

  it.each(Object.keys(texts))('text in %s is given back unchanged', async (script) => {
    const reply = await http.get<{ data: { content: string } }>(`/api/memories/${ids.get(script)}`);
    expect(reply.body.data.content).toBe(texts[script]?.content);
  });

  const questions = Object.entries(texts).flatMap(([script, { queries }]) =>
    queries.map((query) => ({ script, query })),
  );

  it.each(questions)('the $script text is found first by $query', async ({ script, query }) => {
    const byGet = await http.get<{ data: { id: string }[] }>(
      `/api/memories/search?q=${encodeURIComponent(query)}&searchMethod=keyword`,
    );
    expect(byGet.body.data[0]?.id, byGet.text).toBe(ids.get(script));
    const byPost = await http.post<{ data: { id: string }[] }>('/api/memories/search', { query });
    expect(byPost.body.data[0]?.id, byPost.text).toBe(ids.get(script));
  });

  it.each(questions)('the $script text is listed for an exact topic $query', async ({ script, query }) => {
    const tagged = await http.post('/api/memories/bulk-tag', { ids: [ids.get(script)], addTopics: [query] });
    expect(tagged.status, tagged.text).toBe(200);
    const listed = await http.get<{ data: { id: string }[] }>(
      `/api/memories?topics=${encodeURIComponent(query)}`,
    );
    expect(listed.body.data.map(({ id }) => id)).toEqual([ids.get(script)]);
  });
});
