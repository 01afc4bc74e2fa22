// Attacks on demand in German. The key is the English text.
export const german: Readonly<Record<string, string>> = {
    'A cloak of {roads}, made by {method}.': 'Eine Tarnung aus {roads}, von {method}.',
    'Attack this cloak': 'Angreifen',
    'Attacking ...': 'Angriff läuft ...',
    'Being attacked ...': 'Wird angegriffen ...',
    But: 'Allerdings',
    Close: 'Schließen',
    'Comes next.': 'Kommt als Nächstes.',
    'Done.': 'Fertig.',
    'Done. There is nothing to compare.': 'Fertig. Es gibt nichts zu vergleichen.',
    'Either way the adversary picks {road} with a chance of {chance}.':
        'So oder so trifft der Angreifer {road} mit einer Wahrscheinlichkeit von {chance}.',
    "Either way the adversary's likeliest road has a share of {chance}.":
        'So oder so hat die wahrscheinlichste Straße des Angreifers einen Anteil von {chance}.',
    'Either way the provider must answer for {roads}.':
        'So oder so muss der Anbieter für {roads} antworten.',
    Entropy: 'Entropie',
    Error: 'Fehler',
    'How evenly suspicion is spread over the roads of the cloak: 1 is a blind guess among them, 0 gives the travellers away.':
        'Wie gleichmäßig sich der Verdacht auf die Straßen der Tarnung verteilt: 1 ist blindes Raten unter ihnen, 0 verrät die Reisenden.',
    'It all but gives them away.': 'Sie werden so gut wie verraten.',
    'It tells a good deal.': 'Das verrät einiges.',
    'It tells a little.': 'Das verrät ein wenig.',
    'It tells a lot.': 'Das verrät viel.',
    'It tells next to nothing.': 'Das verrät so gut wie nichts.',
    More: 'Mehr',
    'Most suspicious road': 'Verdächtigste Straße',
    'Now the same query with {method} ...': 'Nun dieselbe Anfrage mit {method} ...',
    'Of the traveller in it the adversary knows what was asked for, though not from where.':
        'Von der Person darin weiß der Angreifer, was gefragt wurde, aber nicht, von wo.',
    'Of the {count} travellers in it the adversary knows what they asked for, though not who asked for what, nor where they are.':
        'Von den {count} Reisenden darin weiß der Angreifer, was sie gefragt haben, aber weder, wer was gefragt hat, noch, wo sie sind.',
    Road: 'Straße',
    'Road by road': 'Straße für Straße',
    'Ruled out': 'Ausgeschlossen',
    "Select a cloak on the provider's map or in the list to see what an adversary could learn from it.":
        'Wählen Sie auf der Karte des Anbieters oder in der Liste eine Tarnung, um zu sehen, was ein Angreifer daraus erfahren könnte.',
    'Show on map': 'Auf Karte zeigen',
    Suspicion: 'Verdacht',
    'Suspicion per road': 'Verdacht je Straße',
    'Suspicion per road:': 'Verdacht je Straße:',
    'The adversary knows the map, the method and what the travellers asked for, and replays how a cloak may have come about.':
        'Der Angreifer kennt die Karte, das Verfahren und was die Reisenden gefragt haben, und spielt durch, wie eine Tarnung entstanden sein kann.',
    'The adversary picks {road} with about the same chance either way: {ours} with {first}, {theirs} with {second}.':
        'Der Angreifer trifft {road} so oder so etwa gleich wahrscheinlich: mit {first} zu {ours}, mit {second} zu {theirs}.',
    'The adversary replays how this cloak may have come about ...':
        'Der Angreifer spielt durch, wie diese Tarnung entstanden sein kann ...',
    "The adversary's likeliest road has about the same share either way: {ours} with {first}, {theirs} with {second}.":
        'Die wahrscheinlichste Straße des Angreifers hat so oder so etwa denselben Anteil: mit {first} {ours}, mit {second} {theirs}.',
    'The provider must answer for {ours} with {first}, for {theirs} with {second}.':
        'Der Anbieter muss mit {first} für {ours} antworten, mit {second} für {theirs}.',
    'The truth': 'Die Wahrheit',
    'This cloak has more than {count} roads, which is too many for an attack on this page.':
        'Diese Tarnung hat mehr als {count} Straßen, zu viele für einen Angriff auf dieser Seite.',
    'Travellers to assume': 'Angenommene Reisende',
    'Who else is in this cloak is not known here, so travellers with the standard profile are assumed, somewhere on its roads.':
        'Wer sonst in dieser Tarnung ist, ist hier nicht bekannt; deshalb werden Reisende mit dem Standardprofil angenommen, irgendwo auf ihren Straßen.',
    'Who is in this cloak is not known here, so travellers with the standard profile are assumed, somewhere on its roads.':
        'Wer in dieser Tarnung ist, ist hier nicht bekannt; deshalb werden Reisende mit dem Standardprofil angenommen, irgendwo auf ihren Straßen.',
    'Whom to find': 'Wer gefunden werden soll',
    'Worth {effective} equally likely roads; it has {roads}.':
        'So viel wert wie {effective} gleich wahrscheinliche Straßen; sie hat {roads}.',
    'You may {what}.': 'Sie können {what}.',
    'as it left': 'wie sie abgeschickt wurde',
    'assumed traveller {number}': 'angenommene Person {number}',
    'chance that the adversary picks {road}':
        'Wahrscheinlichkeit, dass der Angreifer {road} trifft',
    'for the same query': 'für dieselbe Anfrage',
    'no replay gave anything like this cloak, so the adversary learns nothing from it':
        'kein Durchspielen ergab etwas wie diese Tarnung; der Angreifer erfährt also nichts daraus',
    'not known to this page, nor to the provider': 'weder dieser Seite noch dem Anbieter bekannt',
    'road that the provider must answer for': 'Straße, für die der Anbieter antworten muss',
    'roads that the provider must answer for': 'Straßen, für die der Anbieter antworten muss',
    "share of the adversary's likeliest road":
        'Anteil der wahrscheinlichsten Straße des Angreifers',
    'the road of {name}': 'die Straße von {name}',
    'the truth': 'die Wahrheit',
    'traveller {number}': 'Person {number}',
    you: 'Sie',
    'your road': 'Ihre Straße',
    '{better} hides {road} better: the adversary picks it with a chance of {least}, against {most} with {worse}.':
        'Mit {better} ist {road} besser verborgen: Der Angreifer trifft sie mit einer Wahrscheinlichkeit von {least}, mit {worse} von {most}.',
    '{better} leaves the adversary less sure: its likeliest road has a share of {least}, against {most} with {worse}.':
        'Mit {better} ist der Angreifer weniger sicher: Seine wahrscheinlichste Straße hat einen Anteil von {least}, mit {worse} von {most}.',
    '{method} finds no cloak for this query: the traveller would have gone without an answer.':
        '{method} findet für diese Anfrage keine Tarnung: Sie wäre ohne Antwort geblieben.',
    '{method} found no cloak for this query: too few of the others are near enough to hide with. The traveller would have gone without an answer.':
        '{method} fand für diese Anfrage keine Tarnung: Zu wenige der anderen sind nah genug, um sich mit ihnen zu verbergen. Sie wäre ohne Antwort geblieben.',
    '{method}: suspicion per road': '{method}: Verdacht je Straße',
    '{method}: the adversary picks {road} with a chance of {chance}.':
        '{method}: Der Angreifer trifft {road} mit einer Wahrscheinlichkeit von {chance}.',
    "{method}: the adversary's likeliest road has a share of {chance}.":
        '{method}: Die wahrscheinlichste Straße des Angreifers hat einen Anteil von {chance}.',
    '{most}; a blind guess is right with {guess}': '{most}; blindes Raten trifft mit {guess}',
    '{name}, on {road}': '{name}, auf {road}',
    '{road} is not in it': '{road} ist nicht darin',
    '{road} is suspected with {share}; no road is suspected more':
        '{road} wird zu {share} verdächtigt; keine Straße mehr als sie',
    '{road} is suspected with {share}; {count} road is suspected more':
        '{road} wird zu {share} verdächtigt; {count} Straße noch mehr',
    '{road} is suspected with {share}; {count} roads are suspected more':
        '{road} wird zu {share} verdächtigt; {count} Straßen noch mehr',
};
