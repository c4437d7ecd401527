import { describe, expect, it } from 'vitest';
import { analyze, analyzeQuery } from './index.ts';

/** Every term of the query stands in the text, as a search that wants all of them would ask. */
function finds(query: string, text: string): boolean {
  const terms = analyzeQuery(query);
  const contained = new Set(analyze(text));
  return terms.length > 0 && terms.every((term) => contained.has(term));
}

describe('writing in ten scripts is found by its words, however they are typed', () => {
  const cases: [script: string, text: string, queries: string[]][] = [
    [
      'Latin with accents',
      'Zoë trinkt im Café Straßburg in Łódź',
      ['café', 'CAFE', 'cafe\u0301', 'Strassburg', 'lodz'],
    ],
    ['Latin, Vietnamese', 'Đà Nẵng rất đẹp', ['da nang', 'ĐẸP']],
    ['Latin, Turkish', 'İstanbul ve Iğdır', ['istanbul', 'ISTANBUL', 'igdir']],
    ['Cyrillic', 'Мы купили ёлку, а Андрей — м’яту', ['елку', 'ЁЛКУ', 'Андреи', 'андрей', "м'яту"]],
    ['Greek', 'Ο Οδυσσέας γύρισε στους δρόμους', ['οδυσσεας', 'ΟΔΥΣΣΈΑΣ', 'δρομους', 'ΔΡΟΜΟΥΣ']],
    ['Arabic', 'قرأ أحمدُ الْكِتَابَ في المدرسة عام ٢٠٢٣', ['الكتاب', 'احمد', 'الكتـــاب', 'المدرسه', '2023']],
    ['Persian', 'می\u200cخواهم یک کتاب', ['میخواهم', 'كتاب']],
    ['Hebrew', 'שָׁלוֹם לְכוּלָּם, אמר צה"ל', ['שלום', 'לכולם', 'צה"ל']],
    ['Hindi', 'मुझे किताबें पढ़ना पसंद है', ['किताबें', 'पढना', 'पढ़ना', 'पसंद']],
    ['Thai', 'ฉันชอบดื่มน้ำส้มทุกเช้า', ['น้ำส้ม', 'ดื่ม', 'เช้า', 'ชอบ']],
    ['Chinese', '我们决定使用缓存来保存会话', ['缓存', '缓', '我们', '会话', '使用缓存']],
    [
      'Japanese',
      '昨日、東京タワーに行ってラーメンを食べた',
      ['東京', '京', 'タワー', 'ラーメン', '食べた', 'ﾀﾜｰ'],
    ],
    ['Korean', '어제 학교에서 김치를 먹었다', ['학교', '김치', '교', '먹었다', '학교'.normalize('NFD')]],
  ];
  it.each(cases)('words are found however they are typed: %s', (_script, text, queries) => {
    expect(queries.filter((query) => !finds(query, text))).toEqual([]);
    expect(queries.filter((query) => !finds(query, text.normalize('NFD')))).toEqual([]);
  });

  it('letters that only look as if they had diacritics are kept apart', () => {
    expect(finds('か', 'が')).toBe(false);
    expect(finds('ハ', 'パ')).toBe(false);
    expect(analyze('किताब')).not.toEqual(analyze('कताब'));
  });
});

describe('scripts without spaces', () => {
  it('scripts without spaces are indexed by single characters and pairs', () => {
    expect(analyze('東京都')).toEqual(['東', '京', '東京', '都', '京都']);
  });

  it('scripts without spaces are searched by pairs, and by a single character only if it stands alone', () => {
    expect(analyzeQuery('東京都')).toEqual(['東京', '京都']);
    expect(analyzeQuery('京')).toEqual(['京']);
    expect(analyzeQuery('京 と')).toEqual(['京', 'と']);
  });

  it('a word of a script without spaces ends where another script begins', () => {
    expect(analyze('使用Redis缓存')).toEqual(['使', '用', '使用', 'redi', '缓', '存', '缓存']);
    expect(analyzeQuery('2023年')).toEqual(['2023', '年']);
  });

  it('scripts without spaces keep the marks of a character with it', () => {
    expect(analyzeQuery('ดี')).toEqual(['ดี']);
    expect(analyzeQuery('𠮷野家')).toEqual(['𠮷野', '野家']);
  });
});

it('alphabets that meet within a word are split, and the word is kept', () => {
  expect(analyze('APIключ')).toEqual(['api', 'ключ', 'apiключ']);
});

it('full width, ligatures and circled digits are read as what they stand for', () => {
  expect(analyze('Ｒｅｄｉｓ ﬁle ②')).toEqual(['redi', 'file', '2']);
});

it('emoji are words, whatever their colour', () => {
  expect(analyze('🎉 👍🏽')).toEqual(['🎉', '👍']);
});
