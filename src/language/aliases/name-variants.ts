/** Short forms of given names, each with its full names. */
const nicknames =
  'mel:melanie,melissa|jon:jonathan,jonas|mike:michael|kate:katherine,kathryn,katharina|katie:katherine|sam:samuel,samantha|rob:robert|bob:robert|bobby:robert|bill:william|will:william|liz:elizabeth|beth:elizabeth|dave:david|dan:daniel|danny:daniel|tom:thomas|tim:timothy|jim:james|joe:joseph|matt:matthew|nick:nicholas|alex:alexander,alexandra|steve:steven,stephen|chris:christopher,christina|tony:anthony|andy:andrew|ben:benjamin|ed:edward|greg:gregory|jen:jennifer|jenny:jennifer|jess:jessica|josh:joshua|ken:kenneth|larry:lawrence|meg:margaret,megan|maggie:margaret|pat:patrick,patricia|pete:peter|phil:philip|ray:raymond|rick:richard|dick:richard|ron:ronald|sue:susan|ted:theodore,edward|vicky:victoria|zach:zachary|abby:abigail|becky:rebecca|cathy:catherine|debbie:deborah|gabe:gabriel|hank:henry|jeff:jeffrey|kim:kimberly|nate:nathan,nathaniel|caro:caroline|tori:victoria|theo:theodore|fred:frederick|gus:augustus,gustavo|leo:leonard,leonardo|max:maximilian|sasha:alexander,alexandra|vik:viktor,vikram';
/** The full given names of each short form. */
export const longForms = new Map(
  nicknames.split('|').map((entry) => {
    const [short, long] = entry.split(':');
    return [short, new Set(long.split(','))] as const;
  }),
);

/** Short forms and local names of places, folded. */
export const places = new Map(
  Object.entries({
    nyc: 'new york city',
    'new york': 'new york city',
    ny: 'new york',
    uk: 'united kingdom',
    'great britain': 'united kingdom',
    us: 'united states',
    usa: 'united states',
    'u.s.': 'united states',
    'united states of america': 'united states',
    uae: 'united arab emirates',
    la: 'los angeles',
    sf: 'san francisco',
    munchen: 'munich',
    muenchen: 'munich',
    koln: 'cologne',
    wien: 'vienna',
    praha: 'prague',
    lisboa: 'lisbon',
    roma: 'rome',
    milano: 'milan',
    firenze: 'florence',
    venezia: 'venice',
    napoli: 'naples',
    torino: 'turin',
    warszawa: 'warsaw',
    moskva: 'moscow',
    geneve: 'geneva',
    bruxelles: 'brussels',
    sevilla: 'seville',
    'den haag': 'hague',
    kobenhavn: 'copenhagen',
    goteborg: 'gothenburg',
    deutschland: 'germany',
    espana: 'spain',
    italia: 'italy',
  }),
);
