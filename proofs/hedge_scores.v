(* The width of hedge's scores, in integers: src/trees/candidates/candidate_scan.proof.md, 2, and its section Per person. *)
From Coq Require Import ZArith List Lia Psatz Arith Reals Lra.
From Hedgerow Require Import sums law choice permute_and_flip exponential.
Import ListNotations.
Open Scope Z_scope.

Definition zsum {A : Type} (f : A -> Z) (l : list A) : Z := fold_right (fun a s => f a + s) 0 l.

Section Sums.
  Context {A : Type}.
  Implicit Types (f g : A -> Z) (l : list A).

  Lemma zsum_cons f a l : zsum f (a :: l) = f a + zsum f l.
  Proof. reflexivity. Qed.

  Lemma zsum_app f l m : zsum f (l ++ m) = zsum f l + zsum f m.
  Proof. induction l as [|a l IH]; cbn [app]; [reflexivity|]. rewrite !zsum_cons, IH. lia. Qed.

  Lemma zsum_le f g l : (forall a, In a l -> f a <= g a) -> zsum f l <= zsum g l.
  Proof.
    induction l as [|a l IH]; intros H; [reflexivity|]. rewrite !zsum_cons. specialize (H a (or_introl eq_refl)) as Ha.
    assert (zsum f l <= zsum g l) by (apply IH; intros; apply H; now right). lia.
  Qed.

  Lemma zsum_plus f g l : zsum (fun a => f a + g a) l = zsum f l + zsum g l.
  Proof. induction l as [|a l IH]; [reflexivity|]. rewrite !zsum_cons, IH. lia. Qed.

  Lemma zsum_scale c f l : zsum (fun a => c * f a) l = c * zsum f l.
  Proof. induction l as [|a l IH]; [cbn; lia|]. rewrite !zsum_cons, IH. lia. Qed.

  Lemma zsum_ext f g l : (forall a, In a l -> f a = g a) -> zsum f l = zsum g l.
  Proof. intros H. apply Z.le_antisymm; apply zsum_le; intros a Ha; rewrite (H a Ha); lia. Qed.

  Lemma zsum_perm f l m : Permutation.Permutation l m -> zsum f l = zsum f m.
  Proof. induction 1; cbn in *; unfold zsum in *; lia. Qed.

  Lemma zsum_zero l : zsum (fun _ : A => 0) l = 0.
  Proof. induction l as [|a l IH]; [reflexivity|]. now rewrite zsum_cons, IH. Qed.

  Lemma zsum_nonneg f l : (forall a, In a l -> 0 <= f a) -> 0 <= zsum f l.
  Proof.
    induction l as [|a l IH]; intros H; [reflexivity|]. rewrite zsum_cons. specialize (H a (or_introl eq_refl)) as Ha.
    assert (0 <= zsum f l) by (apply IH; intros; apply H; now right). lia.
  Qed.
End Sums.

(* One of the numbers 0 .. m-1. *)
Lemma zsum_one (m i : nat) (x : Z) : (i < m)%nat -> zsum (fun j => if Nat.eq_dec i j then x else 0) (seq 0 m) = x.
Proof.
  intros H. assert (G : forall l, NoDup l ->
    zsum (fun j => if Nat.eq_dec i j then x else 0) l = if in_dec Nat.eq_dec i l then x else 0).
  { induction l as [|a l IH]; intros Hd; [reflexivity|]. inversion Hd as [|? ? Ha Hl]; subst.
    rewrite zsum_cons, IH by easy. destruct (in_dec Nat.eq_dec i (a :: l)) as [Hin|Hin];
      destruct (Nat.eq_dec i a) as [->|Hne]; destruct (in_dec Nat.eq_dec _ l); cbn in Hin; intuition lia. }
  rewrite G by apply seq_NoDup. destruct (in_dec Nat.eq_dec i (seq 0 m)) as [|Hn]; [reflexivity|].
  destruct Hn. apply in_seq. lia.
Qed.

(* ---- Vectors of K integers ---- *)

Section Vectors.
  Variable outputs : nat.
  Definition vector := nat -> Z.
  Implicit Types (a b g : vector).

  Definition dot a b : Z := zsum (fun k => a k * b k) (seq 0 outputs).
  Definition square a : Z := dot a a.
  Definition plus a b : vector := fun k => a k + b k.
  Definition minus a : vector := fun k => - a k.

  (* length_of_sums: the Euclidean length, rounded down. *)
  Definition length_of a : Z := Z.sqrt (square a).

  Lemma square_nonneg a : 0 <= square a.
  Proof. apply zsum_nonneg. intros k _. apply Z.square_nonneg. Qed.

  Lemma square_combination a b x y :
    square (fun k => x * a k + y * b k) = x * x * square a + 2 * x * y * dot a b + y * y * square b.
  Proof.
    unfold square, dot. rewrite <- !zsum_scale, <- !zsum_plus. apply zsum_ext. intros k _. ring.
  Qed.

  Lemma square_plus a b : square (plus a b) = square a + 2 * dot a b + square b.
  Proof.
    unfold square, dot, plus. rewrite <- !zsum_scale, <- !zsum_plus. apply zsum_ext. intros k _. ring.
  Qed.

  Lemma cauchy_schwarz a b : dot a b * dot a b <= square a * square b.
  Proof.
    pose proof (square_nonneg a) as Ha. pose proof (square_nonneg b) as Hb.
    pose proof (square_nonneg (fun k => square b * a k + - dot a b * b k)) as H.
    rewrite square_combination in H.
    destruct (Z.eq_dec (square b) 0) as [E|E].
    - pose proof (square_nonneg (fun k => 1 * a k + - ((square a + 1) * dot a b) * b k)) as H'.
      rewrite square_combination, E in H'. rewrite E. set (A := square a) in *. set (D := dot a b) in *.
      assert (D = 0); [|subst D; nia]. assert (H1 : 0 <= A - 2 * (A + 1) * (D * D)).
      { replace (A - 2 * (A + 1) * (D * D)) with
          (1 * 1 * A + 2 * 1 * - ((A + 1) * D) * D + - ((A + 1) * D) * - ((A + 1) * D) * 0) by ring. exact H'. }
      nia.
    - set (A := square a) in *. set (B := square b) in *. set (D := dot a b) in *.
      assert (H1 : 0 <= B * (A * B - D * D)).
      { replace (B * (A * B - D * D)) with (B * B * A + 2 * B * - D * D + - D * - D * B) by ring. exact H. }
      apply Z.nlt_ge. intros Hlt. assert (B * (A * B - D * D) < 0) by (apply Z.mul_pos_neg; lia). lia.
  Qed.

  Lemma length_nonneg a : 0 <= length_of a.
  Proof. apply Z.sqrt_nonneg. Qed.

  (* A vector of length at most G makes a length, rounded down, larger by at most the integer G. *)
  Lemma length_plus a g G : 0 <= G -> square g <= G * G -> length_of (plus a g) <= length_of a + G.
  Proof.
    intros HG Hg. unfold length_of. set (f := Z.sqrt (square a)).
    pose proof (square_nonneg a) as Ha. pose proof (Z.sqrt_spec (square a) Ha) as Hf. cbv zeta in Hf. fold f in Hf.
    pose proof (Z.sqrt_nonneg (square a)) as Hf0. fold f in Hf0.
    pose proof (cauchy_schwarz a g) as Hcs. pose proof (square_nonneg g) as Hg0.
    apply Z.lt_succ_r. apply Z.sqrt_lt_square; [apply square_nonneg|lia|]. rewrite square_plus.
    assert (Hdot : dot a g <= (f + 1) * G).
    { apply Z.nlt_ge. intros Hlt.
      assert (H0 : 0 <= (f + 1) * G) by (apply Z.mul_nonneg_nonneg; lia).
      assert (H1 : (f + 1) * G * ((f + 1) * G) < dot a g * dot a g) by now apply Z.square_lt_mono_nonneg.
      assert (Ha' : square a <= (f + 1) * (f + 1)).
      { replace (f + 1) with (Z.succ f) by lia. lia. }
      assert (H2 : square a * square g <= (f + 1) * (f + 1) * (G * G)).
      { apply Z.mul_le_mono_nonneg; assumption. }
      replace ((f + 1) * G * ((f + 1) * G)) with ((f + 1) * (f + 1) * (G * G)) in H1 by ring. lia. }
    replace (Z.succ (f + G) * Z.succ (f + G)) with (Z.succ f * Z.succ f + 2 * ((f + 1) * G) + G * G) by ring. lia.
  Qed.

  Lemma square_ext a b : (forall k, (k < outputs)%nat -> a k = b k) -> square a = square b.
  Proof. intros H. unfold square, dot. apply zsum_ext. intros k Hk. apply in_seq in Hk. now rewrite H by lia. Qed.

  Lemma length_ext a b : (forall k, (k < outputs)%nat -> a k = b k) -> length_of a = length_of b.
  Proof.
    intros H. unfold length_of. f_equal. now apply square_ext.
  Qed.

  Lemma square_minus a : square (minus a) = square a.
  Proof. unfold square, dot, minus. apply zsum_ext. intros k _. ring. Qed.

  Lemma length_changes a g G :
    0 <= G -> square g <= G * G -> Z.abs (length_of (plus a g) - length_of a) <= G.
  Proof.
    intros HG Hg. pose proof (length_plus a g G HG Hg) as H1.
    pose proof (length_plus (plus a g) (minus g) G HG) as H2. rewrite square_minus in H2. specialize (H2 Hg).
    rewrite (length_ext (plus (plus a g) (minus g)) a) in H2; [lia|]. intros k _. unfold plus, minus. ring.
  Qed.
End Vectors.

(* One output: the length is the magnitude, which the code takes. *)
Lemma length_of_one (a : vector) : length_of 1 a = Z.abs (a 0%nat).
Proof.
  unfold length_of, square, dot. cbn. rewrite Z.add_0_r. rewrite <- (Z.abs_square (a 0%nat)).
  apply Z.sqrt_square. apply Z.abs_nonneg.
Qed.

(* ---- Scores ---- *)

Section Scores.
  Variables (outputs leaves : nat) (threshold : Z).

  (* hr_leaf_scores: of a tree, given the sums of its leaves. *)
  Definition score (sums : nat -> vector) : Z :=
    zsum (fun l => Z.max (length_of outputs (sums l) - threshold) 0) (seq 0 leaves).

  (* Every leaf's sum moves by at most `bound` of the leaf. *)
  Lemma score_changes (sums d : nat -> vector) (bound : nat -> Z) :
    (forall l, (l < leaves)%nat -> 0 <= bound l /\ square outputs (d l) <= bound l * bound l) ->
    Z.abs (score (fun l => plus (sums l) (d l)) - score sums) <= zsum bound (seq 0 leaves).
  Proof.
    intros H. assert (Hup : score (fun l => plus (sums l) (d l)) <= score sums + zsum bound (seq 0 leaves)).
    { unfold score. rewrite <- zsum_plus. apply zsum_le. intros l Hl. apply in_seq in Hl.
      destruct (H l) as [H0 H1]; [lia|]. pose proof (length_changes outputs (sums l) (d l) _ H0 H1). lia. }
    assert (Hdown : score sums <= score (fun l => plus (sums l) (d l)) + zsum bound (seq 0 leaves)).
    { unfold score. rewrite <- zsum_plus. apply zsum_le. intros l Hl. apply in_seq in Hl.
      destruct (H l) as [H0 H1]; [lia|]. pose proof (length_changes outputs (sums l) (d l) _ H0 H1). lia. }
    lia.
  Qed.
End Scores.

(* The candidates' trees have different leaves; a record is in one leaf of each, with a gradient of its own. *)
Section Hedge.
  Context {record : Type}.
  Variables (outputs : nat) (leaves : nat -> nat) (threshold : Z).
  Variables (leaf_of : nat -> record -> nat) (gradient : nat -> record -> vector).

  Definition leaf_sum (records : list record) (t l : nat) : vector := fun k =>
    zsum (fun x => if Nat.eq_dec (leaf_of t x) l then gradient t x k else 0) records.
  Definition candidate_score (records : list record) (t : nat) : Z := score outputs (leaves t) threshold (leaf_sum records t).

  (* A record with a gradient of length at most G, put in anywhere, moves every score by at most G. *)
  Lemma record_moves (before after : list record) (x : record) (G : Z) (t : nat) :
    0 <= G -> (leaf_of t x < leaves t)%nat -> square outputs (gradient t x) <= G * G ->
    Z.abs (candidate_score (before ++ x :: after) t - candidate_score (before ++ after) t) <= G.
  Proof.
    intros HG Hl Hg. set (d := fun l k => if Nat.eq_dec (leaf_of t x) l then gradient t x k else 0).
    set (bound := fun l => if Nat.eq_dec (leaf_of t x) l then G else 0).
    assert (E : candidate_score (before ++ x :: after) t =
                score outputs (leaves t) threshold (fun l => plus (leaf_sum (before ++ after) t l) (d l))).
    { unfold candidate_score, score. apply zsum_ext. intros l _. f_equal. f_equal. apply length_ext. intros k _.
      unfold leaf_sum, plus, d. rewrite !zsum_app, zsum_cons. ring. }
    rewrite E. unfold candidate_score.
    replace G with (zsum bound (seq 0 (leaves t))) by (unfold bound; now apply zsum_one).
    apply score_changes. intros l _. unfold bound, d. destruct (Nat.eq_dec (leaf_of t x) l); [easy|].
    split; [lia|]. change (zsum (fun _ : nat => 0) (seq 0 outputs) <= 0). now rewrite zsum_zero.
  Qed.

  (* hr_leaf_score_width: of all candidates' scores together. *)
  Theorem hedge_scores_width (before after : list record) (x : record) (G : Z) (candidates : nat) :
    0 <= G ->
    (forall t, (t < candidates)%nat -> (leaf_of t x < leaves t)%nat /\ square outputs (gradient t x) <= G * G) ->
    has_width candidates (candidate_score (before ++ after)) (candidate_score (before ++ x :: after)) (2 * G).
  Proof.
    intros HG H r s Hr Hs. destruct (H r Hr) as [Hrl Hrg]. destruct (H s Hs) as [Hsl Hsg].
    pose proof (record_moves before after x G r HG Hrl Hrg). pose proof (record_moves before after x G s HG Hsl Hsg). lia.
  Qed.
End Hedge.

(* ---- Persons ---- *)

(* What is added is spread over leaves, d t l in leaf l of tree t, of length at most b t l. *)
Definition ceiling (x : R) : Z := - Int_part (- x).

Lemma ceiling_bounds (x : R) : (x <= IZR (ceiling x) < x + 1)%R.
Proof. unfold ceiling. rewrite opp_IZR. destruct (base_Int_part (- x)). lra. Qed.

Lemma spread_width (outputs : nat) (leaves : nat -> nat) (threshold total : Z) (sums d : nat -> nat -> vector)
    (b : nat -> nat -> R) (candidates : nat) :
  (forall t, (t < candidates)%nat ->
     (leaves t <= 256)%nat /\ (sum (b t) (seq 0 (leaves t)) <= IZR total)%R /\
     forall l, (l < leaves t)%nat -> (0 <= b t l)%R /\ (IZR (square outputs (d t l)) <= b t l * b t l)%R) ->
  has_width candidates (fun t => score outputs (leaves t) threshold (sums t))
    (fun t => score outputs (leaves t) threshold (fun l => plus (sums t l) (d t l))) (2 * (total + 256)).
Proof.
  intros H.
  assert (Hone : forall t, (t < candidates)%nat ->
    Z.abs (score outputs (leaves t) threshold (fun l => plus (sums t l) (d t l)) - score outputs (leaves t) threshold
      (sums t)) <= total + 256).
  { intros t Ht. destruct (H t Ht) as (Hl & Hs & Hb).
    apply Z.le_trans with (zsum (fun l => ceiling (b t l)) (seq 0 (leaves t))).
    - apply score_changes. intros l Hll. destruct (Hb l Hll) as [H0 H1]. pose proof (ceiling_bounds (b t l)) as Hc. split.
      + apply le_IZR. lra.
      + apply le_IZR. rewrite mult_IZR. apply Rle_trans with (1 := H1). apply Rmult_le_compat; lra.
    - apply le_IZR. rewrite plus_IZR.
      assert (Hz : forall m, (IZR (zsum (fun l => ceiling (b t l)) m) <= sum (b t) m + INR (length m))%R).
      { induction m as [|a m IH]; [cbn; lra|]. rewrite zsum_cons, sum_cons, plus_IZR.
        change (length (a :: m)) with (S (length m)). rewrite S_INR. pose proof (ceiling_bounds (b t a)). lra. }
      specialize (Hz (seq 0 (leaves t))). rewrite seq_length in Hz.
      assert (INR (leaves t) <= 256)%R; [|lra]. replace 256%R with (INR 256) by (cbn; lra). now apply le_INR. }
  intros r s Hr Hs. pose proof (Hone r Hr). pose proof (Hone s Hs). lia.
Qed.

(* hr_person_share: of a record of weight w. *)
Definition person_share (w x : Z) : Z := Z.quot (w * x) (2 ^ 10).

Lemma person_share_square w x : 2 ^ 10 * 2 ^ 10 * (person_share w x * person_share w x) <= w * w * (x * x).
Proof.
  unfold person_share. set (q := Z.quot (w * x) (2 ^ 10)).
  assert (H : Z.abs (2 ^ 10 * q) <= Z.abs (w * x)).
  { unfold q. rewrite Z.abs_mul, <- Z.quot_abs by lia. apply Z.mul_quot_le; lia. }
  apply Z.square_le_mono_nonneg in H; [|lia]. rewrite !Z.abs_square in H.
  replace (2 ^ 10 * 2 ^ 10 * (q * q)) with (2 ^ 10 * q * (2 ^ 10 * q)) by ring.
  replace (w * w * (x * x)) with (w * x * (w * x)) by ring. exact H.
Qed.

Section Persons.
  Context {record : Type}.
  Variables (outputs : nat) (leaves : nat -> nat) (threshold : Z).
  Variables (leaf_of : nat -> record -> nat).

  Definition in_leaf (t l : nat) (x : record) : bool := (leaf_of t x =? l)%nat.

  Lemma leaf_sum_cons (contribution : nat -> record -> vector) x records t l k :
    leaf_sum leaf_of contribution (x :: records) t l k =
    (if in_leaf t l x then contribution t x k else 0) + leaf_sum leaf_of contribution records t l k.
  Proof.
    unfold leaf_sum. rewrite zsum_cons. f_equal. unfold in_leaf. destruct (Nat.eq_dec (leaf_of t x) l) as [->|H].
    - now rewrite Nat.eqb_refl.
    - now apply Nat.eqb_neq in H as ->.
  Qed.

  (* n vectors of length at most c/s have a sum of length at most n c/s. *)
  Lemma leaf_sum_square (contribution : nat -> record -> vector) s c records t l :
    0 < s -> 0 <= c ->
    (forall x, In x records -> s * s * square outputs (contribution t x) <= c * c) ->
    let n := Z.of_nat (length (filter (in_leaf t l) records)) in
    s * s * square outputs (leaf_sum leaf_of contribution records t l) <= n * c * (n * c).
  Proof.
    intros Hs Hc. induction records as [|x records IH]; intros H n.
    - change (leaf_sum leaf_of contribution [] t l) with (fun _ : nat => 0).
      change (square outputs (fun _ : nat => 0)) with (zsum (fun _ : nat => 0) (seq 0 outputs)). rewrite zsum_zero. cbn. lia.
    - specialize (IH (fun y Hy => H y (or_intror Hy))). cbv zeta in IH. specialize (H x (or_introl eq_refl)).
      unfold n. cbn [filter]. destruct (in_leaf t l x) eqn:Hin.
      + rewrite (square_ext outputs _ (plus (contribution t x) (leaf_sum leaf_of contribution records t l))).
        2: { intros k _. rewrite leaf_sum_cons, Hin. reflexivity. }
        cbn [length]. rewrite Nat2Z.inj_succ, square_plus.
        set (v := square outputs (contribution t x)) in *.
        set (w := square outputs (leaf_sum leaf_of contribution records t l)) in *.
        set (e := dot outputs (contribution t x) (leaf_sum leaf_of contribution records t l)).
        set (m := Z.of_nat (length (filter (in_leaf t l) records))) in *.
        assert (Hm : 0 <= m) by lia. pose proof (square_nonneg outputs (contribution t x)) as Hv. fold v in Hv.
        pose proof (square_nonneg outputs (leaf_sum leaf_of contribution records t l)) as Hw. fold w in Hw.
        pose proof (cauchy_schwarz outputs (contribution t x) (leaf_sum leaf_of contribution records t l)) as Hcs.
          fold e v w in Hcs.
        assert (He : s * s * e <= m * c * c).
        { apply Z.nlt_ge. intros Hlt.
          assert (H0 : 0 <= m * c * c) by (repeat apply Z.mul_nonneg_nonneg; lia).
          assert (H1 : m * c * c * (m * c * c) < s * s * e * (s * s * e)) by now apply Z.square_lt_mono_nonneg.
          assert (H2 : s * s * v * (s * s * w) <= c * c * (m * c * (m * c))).
          { apply Z.mul_le_mono_nonneg; try assumption; apply Z.mul_nonneg_nonneg; try assumption; apply Z.square_nonneg. }
          assert (H3 : s * s * (s * s) * (e * e) <= s * s * (s * s) * (v * w)).
          { apply Z.mul_le_mono_nonneg_l; [|exact Hcs]. apply Z.square_nonneg. }
          replace (s * s * e * (s * s * e)) with (s * s * (s * s) * (e * e)) in H1 by ring.
          replace (s * s * v * (s * s * w)) with (s * s * (s * s) * (v * w)) in H2 by ring.
          replace (c * c * (m * c * (m * c))) with (m * c * c * (m * c * c)) in H2 by ring. lia. }
        replace (s * s * (v + 2 * e + w)) with (s * s * v + 2 * (s * s * e) + s * s * w) by ring.
        replace (Z.succ m * c * (Z.succ m * c)) with (c * c + 2 * (m * c * c) + m * c * (m * c)) by ring. lia.
      + rewrite (square_ext outputs _ (leaf_sum leaf_of contribution records t l)); [exact IH|].
        intros k _. rewrite leaf_sum_cons, Hin. reflexivity.
  Qed.

  Lemma leaves_count (records : list record) t :
    (forall x, In x records -> (leaf_of t x < leaves t)%nat) ->
    zsum (fun l => Z.of_nat (length (filter (in_leaf t l) records))) (seq 0 (leaves t)) = Z.of_nat (length records).
  Proof.
    induction records as [|x records IH]; intros H; [apply zsum_zero|].
    rewrite <- (zsum_ext (fun l => (if Nat.eq_dec (leaf_of t x) l then 1 else 0) + Z.of_nat (length (filter (in_leaf t l)
      records)))).
    - rewrite zsum_plus, zsum_one, IH; [cbn [length]; lia|intros; apply H; now right|apply H; now left].
    - intros l _. cbn [filter]. unfold in_leaf at 2. destruct (Nat.eq_dec (leaf_of t x) l) as [->|Hne].
      + rewrite Nat.eqb_refl. cbn [length]. lia.
      + apply Nat.eqb_neq in Hne as ->. lia.
  Qed.

  (* hr_unit_leaf_score_width per person: a person has m records, each of the weight floor(2^16/m) and with a gradient of
     length at most G; the others' contributions are any. A person's records may stand anywhere. *)
  Theorem person_scores_width (gradient contribution : nat -> record -> vector) (others person all : list record) (G : Z)
      (candidates : nat) :
    0 <= G -> Permutation.Permutation all (person ++ others) ->
    (forall t, (t < candidates)%nat -> (leaves t <= 256)%nat /\ forall x, In x person ->
       (leaf_of t x < leaves t)%nat /\ square outputs (gradient t x) <= G * G /\
       forall k, contribution t x k = person_share (2 ^ 16 / Z.of_nat (length person)) (gradient t x k)) ->
    has_width candidates (candidate_score outputs leaves threshold leaf_of contribution others)
      (candidate_score outputs leaves threshold leaf_of contribution all) (2 * (2 ^ 6 * G + 256)).
  Proof.
    intros HG Hperm H. set (w := 2 ^ 16 / Z.of_nat (length person)) in *.
    assert (Hw : 0 <= w) by (unfold w; destruct person; [cbn; lia|apply Z.div_pos; cbn [length]; lia]).
    assert (Hmw : Z.of_nat (length person) * w <= 2 ^ 16).
    { unfold w. destruct person; [cbn; lia|]. apply Z.mul_div_le. cbn [length]. lia. }
    pose (count := fun t l => Z.of_nat (length (filter (in_leaf t l) person))).
    assert (Hwidth : has_width candidates
      (fun t => score outputs (leaves t) threshold (leaf_sum leaf_of contribution others t))
      (fun t => score outputs (leaves t) threshold
         (fun l => plus (leaf_sum leaf_of contribution others t l) (leaf_sum leaf_of contribution person t l)))
      (2 * (2 ^ 6 * G + 256))).
    { apply spread_width with (b := fun t l => (IZR (count t l * (w * G)) / IZR (2 ^ 10))%R). intros t Ht.
      destruct (H t Ht) as [Hleaves Hx]. assert (Hu : (0 < IZR (2 ^ 10))%R) by (apply IZR_lt; lia). split;
        [exact Hleaves|split].
      - apply Rle_trans with (IZR (zsum (fun l => count t l) (seq 0 (leaves t)) * (w * G)) / IZR (2 ^ 10))%R.
        + right. generalize (seq 0 (leaves t)). induction l as [|a l IH]; [cbn; lra|].
          rewrite sum_cons, IH, zsum_cons, Z.mul_add_distr_r, plus_IZR. field. lra.
        + unfold count. rewrite leaves_count by (intros x Hin; now apply Hx).
          apply Rmult_le_reg_r with (IZR (2 ^ 10)); [exact Hu|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
          rewrite <- mult_IZR. apply IZR_le. rewrite Z.mul_assoc. replace (2 ^ 6 * G * 2 ^ 10) with (2 ^ 16 * G) by ring.
          apply Z.mul_le_mono_nonneg_r; lia.
      - intros l _. split.
        + apply Rmult_le_pos; [|left; now apply Rinv_0_lt_compat]. apply IZR_le. unfold count.
          repeat apply Z.mul_nonneg_nonneg; lia.
        + apply Rmult_le_reg_l with (IZR (2 ^ 10) * IZR (2 ^ 10))%R; [now apply Rmult_lt_0_compat|].
          replace (IZR (2 ^ 10) * IZR (2 ^ 10) * (IZR (count t l * (w * G)) / IZR (2 ^ 10) * (IZR (count t l * (w * G)) /
            IZR (2 ^ 10))))%R
            with (IZR (count t l * (w * G)) * IZR (count t l * (w * G)))%R by (field; lra).
          rewrite <- !mult_IZR. apply IZR_le. apply leaf_sum_square; [lia|now apply Z.mul_nonneg_nonneg|].
          intros x Hin. destruct (Hx x Hin) as (_ & Hg & Hc). apply Z.le_trans with (w * w * square outputs (gradient t x)).
          * unfold square, dot. rewrite <- !zsum_scale. apply zsum_le. intros k _. rewrite Hc. apply person_share_square.
          * replace (w * G * (w * G)) with (w * w * (G * G)) by ring. apply Z.mul_le_mono_nonneg_l;
            [apply Z.square_nonneg|exact Hg]. }
    intros r s Hr Hs. specialize (Hwidth r s Hr Hs).
    assert (E : forall t, candidate_score outputs leaves threshold leaf_of contribution all t =
      score outputs (leaves t) threshold (fun l => plus (leaf_sum leaf_of contribution others t l) (leaf_sum leaf_of
        contribution person t l))).
    { intros t. unfold candidate_score, score. apply zsum_ext. intros l _. f_equal. f_equal. apply length_ext. intros k _.
      unfold leaf_sum, plus. rewrite (zsum_perm _ _ _ Hperm), zsum_app. ring. }
    rewrite !E. exact Hwidth.
  Qed.
End Persons.

(* A choice of hedge under pure epsilon is private for the cost of its line. *)
Theorem hedge_choice_private {record : Type} (outputs : nat) (leaves : nat -> nat) (threshold : Z)
    (leaf_of : nat -> record -> nat) (gradient : nat -> record -> vector)
    (before after : list record) (x : record) (G : Z) (candidates : nat) (cost num den : Z) :
  0 <= G -> (0 < candidates)%nat -> covers cost num den (2 * G) ->
  (forall t, (t < candidates)%nat -> (leaf_of t x < leaves t)%nat /\ square outputs (gradient t x) <= G * G) ->
  let scores := candidate_score outputs leaves threshold leaf_of gradient in
  private (value cost) (permute_and_flip candidates (scale num den) (scores (before ++ after)))
    (permute_and_flip candidates (scale num den) (scores (before ++ x :: after))).
Proof.
  intros HG Hn Hc H scores. apply permute_and_flip_private with (width := 2 * G); [exact Hn|exact Hc|].
  now apply hedge_scores_width.
Qed.
