//! Words of a question that say what is asked about something, and not of what.

/// What such a word counts beside the others: in a small base it is rare, and tells no more for that.
const LIGHT: f32 = 0.3;

/// Forms of verbs, in Portuguese, English and Spanish; folded.
const VERBS: &str = "precisa precisam preciso quer querem gosta gostam deve devem devera pode podem faz fazem fazer \
    tem ter usa usam usar serve servem servia serviam acontece significa existe existem leva levam da chama \
    chamam chamado chamada conhecido conhecida consiste consistem ocorre ocorrem refere trata need needs want wants \
    take takes make makes get gets use uses used mean means happen happens happened like likes go goes give gives say \
    says said called known necesita necesitan quiere quieren debe deben puede pueden hace hacen tiene tienen sirve \
    sirven llama llaman significa ocurre ocurren";

/// And of nouns: what the thing is for, what it is called.
const NOUNS: &str = "finalidade objetivo utilidade funcao motivo significado nome tipo tipos exemplo exemplos purpose \
    meaning reason name kind kinds type types example examples finalidad objetivo utilidad funcion motivo significado \
    nombre tipo tipos ejemplo ejemplos";

/// And words that ask for an amount, where they are no function words of the language.
const AMOUNTS: &str = "much many often";

/// What a folded word of a question counts: 1, or less when it only says what is asked.
pub(super) fn weight(token: &str) -> f32 {
    let is_light = words().any(|word| word == token);
    if is_light { LIGHT } else { 1.0 }
}

fn words() -> impl Iterator<Item = &'static str> {
    [VERBS, NOUNS, AMOUNTS].into_iter().flat_map(|list| list.split(' '))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tusab_index::tokens;

    #[test]
    fn what_is_asked_counts_less_than_of_what() {
        assert!(weight("servem") < weight("registradores"));
        assert!((weight("registradores") - 1.0).abs() < f32::EPSILON);
    }

    #[test]
    fn the_words_are_as_a_question_has_them() {
        for word in words() {
            assert_eq!(tokens(word), [word.to_owned()]);
        }
    }
}
